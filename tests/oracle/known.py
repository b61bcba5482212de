"""Defects of nvm that are known, with the reason why they may stay for now. Empty when all is well."""

AVOIDED = {"replace-empty": "REPLACE into an empty segment"}
