"""How much of what is wrong the rules find: fresh cases of faults, and clean texts that resemble them."""
