"""The platform over HTTP, beside a raw application, a constant Django view and a naive one."""
