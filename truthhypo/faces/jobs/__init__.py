"""Jobs: many texts judged in the background. After a crash or a restart, a job continues where it stopped."""
