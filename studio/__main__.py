"""`python -m studio` is the console command."""

from studio.main import main

main()
