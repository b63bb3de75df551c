"""What all ranks did when: their traces on one clock, in one file, and how much of communication was hidden."""
