-- Rules by which the Copilot changes an account's campaigns automatically, the runs of these rules, and the targets on which a
-- rule has acted and will not act again for some time.
-- +goose Up
CREATE TABLE copilot_rules (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name             text NOT NULL,
    is_active        boolean NOT NULL,
    mode             text NOT NULL CHECK (mode IN ('shadow', 'live')),
    looks_at         text NOT NULL,
    attribute        text NOT NULL DEFAULT '',
    campaign_ids     jsonb NOT NULL DEFAULT '[]',   -- empty: all
    source_ids       jsonb NOT NULL DEFAULT '[]',   -- empty: all
    conditions       jsonb NOT NULL,
    window_size      integer NOT NULL,
    window_unit      text NOT NULL,
    include_current  boolean NOT NULL,
    every_minutes    integer NOT NULL,
    action           text NOT NULL,
    factor           numeric NOT NULL,
    min_weight       numeric NOT NULL,
    max_weight       numeric NOT NULL,
    cooldown_minutes integer NOT NULL,
    max_changes      integer NOT NULL,
    next_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    taken_until      timestamptz NOT NULL DEFAULT '-infinity', -- until this time, one job works on the rule
    last_run         jsonb NOT NULL DEFAULT 'null',
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX copilot_rules_account ON copilot_rules (account_id, created_at DESC);
CREATE INDEX copilot_rules_due ON copilot_rules (next_at) WHERE is_active;

-- Runs in which something matched, and runs that failed or would have read too many clicks.
CREATE TABLE copilot_rule_runs (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    rule_id     uuid NOT NULL REFERENCES copilot_rules (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    window_from timestamptz NOT NULL,
    window_to   timestamptz NOT NULL,
    outcome     text NOT NULL,
    looked      integer NOT NULL,
    matched     integer NOT NULL,
    done        integer NOT NULL,
    cut         boolean NOT NULL,
    items       jsonb NOT NULL
);
CREATE INDEX copilot_rule_runs_rule ON copilot_rule_runs (rule_id, at DESC);

-- The targets on which a rule has acted.
CREATE TABLE copilot_rule_targets (
    rule_id     uuid NOT NULL REFERENCES copilot_rules (id) ON DELETE CASCADE,
    target      text NOT NULL,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    until       timestamptz NOT NULL,          -- the rule does not act on the target before this time
    change_id   uuid,                          -- null: the action was an alert
    name        text NOT NULL DEFAULT '',
    alert_since timestamptz,                   -- when the present alert about the target began; null: there is no alert
    message     text NOT NULL DEFAULT '',      -- the message of the alert
    PRIMARY KEY (rule_id, target)
);
CREATE INDEX copilot_rule_targets_account ON copilot_rule_targets (account_id);

ALTER TABLE copilot_changes
    ADD COLUMN rule_id uuid,
    ADD COLUMN evidence jsonb NOT NULL DEFAULT 'null';

-- +goose Down
ALTER TABLE copilot_changes DROP COLUMN evidence, DROP COLUMN rule_id;
DROP TABLE copilot_rule_targets, copilot_rule_runs, copilot_rules;
