"""`python -m studio` is the console command."""

from studio.main import main

if __name__ == "__main__":
    main()
