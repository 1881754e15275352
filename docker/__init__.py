"""What the images need at build and run time, beside the platform."""
