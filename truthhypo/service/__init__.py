"""One function per look-up and judgement, with typed requests and answers, for all interfaces."""
