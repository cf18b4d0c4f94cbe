"""How people and programs meet the world: the command line first."""
