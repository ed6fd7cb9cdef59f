"""What a run is, as frozen data with one source of defaults: read, checked and written. No torch."""
