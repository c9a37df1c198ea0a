-- Assistants use an account through tools. The audit log names the program and the tool that made a change.
-- +goose Up
ALTER TABLE accounts
    ADD COLUMN assistants        boolean NOT NULL DEFAULT true,
    ADD COLUMN assistant_changes int     NOT NULL DEFAULT 50; -- maximum number of changes with one key in 24 hours

ALTER TABLE audit
    ADD COLUMN via    text NOT NULL DEFAULT '', -- mcp, or empty
    ADD COLUMN client text NOT NULL DEFAULT '',
    ADD COLUMN tool   text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE audit DROP COLUMN via, DROP COLUMN client, DROP COLUMN tool;
ALTER TABLE accounts DROP COLUMN assistants, DROP COLUMN assistant_changes;
