"""Charts, clouds and browser components, as pages draw them."""
