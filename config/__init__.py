"""How the parts are put together: settings, URLs, servers, background work, embedded parts."""
