"""What is asked before something is done: each dialog is given data, and answers with a choice or with nothing."""
