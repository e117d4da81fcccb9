"""GUPT (Mohan, Thakurta, Shi, Song, Culler 2012): any program by sample and aggregate, measured again."""
