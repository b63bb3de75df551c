"""What specgrad is and runs on: versions, configuration, files from elsewhere, extensions."""
