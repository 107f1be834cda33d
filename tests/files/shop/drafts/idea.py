def unfinished(): pass
