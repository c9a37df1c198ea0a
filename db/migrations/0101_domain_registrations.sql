-- When the registration of a domain's name ends, according to its registry.
-- +goose Up
ALTER TABLE domain_checks
    ADD COLUMN registered_until timestamptz,                          -- NULL: not known
    ADD COLUMN registration_checked_at timestamptz,                   -- NULL: never
    ADD COLUMN registration_due_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE domain_checks DROP COLUMN registered_until, DROP COLUMN registration_checked_at, DROP COLUMN registration_due_at;
