"""Jobs: many texts judged in the background, resumed where a crash or a restart stopped them."""
