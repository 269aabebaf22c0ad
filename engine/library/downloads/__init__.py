"""Files from the network: resumable, verified, paced, in a queue that outlives the program."""
