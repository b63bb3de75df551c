"""Reading a spec: from YAML to entries whose form is right."""
