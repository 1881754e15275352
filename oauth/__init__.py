"""Who calls: users, OAuth applications, principals and what they may do."""
