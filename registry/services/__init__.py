"""What the registry does; each module reads as a sentence with its functions."""
