"""What holds for one model alone: where it computes, its context, its memory."""
