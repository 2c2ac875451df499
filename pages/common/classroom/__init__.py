"""A class: students join by a code, guess, and follow their teacher."""
