"""What two pages or more use."""
