-- The suggestions that follow from an account's figures, the changes that the chat has proposed, and the changes that were made
-- because of either.
-- +goose Up
CREATE TABLE copilot_suggestions (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind          text NOT NULL,
    key           text NOT NULL,               -- unique among the suggestions of an account and kind that are open, dismissed or snoozed
    campaign_id   uuid,
    campaign_name text NOT NULL DEFAULT '',
    title         text NOT NULL,
    detail        text NOT NULL DEFAULT '',
    evidence      jsonb NOT NULL,
    effect        jsonb NOT NULL DEFAULT 'null',
    action        jsonb NOT NULL DEFAULT 'null', -- null: advice only
    digest        text NOT NULL DEFAULT '',    -- digest of the state that was judged
    status        text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'applied', 'dismissed', 'snoozed', 'expired')),
    snoozed_until timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    judged_at     timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    decided_at    timestamptz                  -- when the suggestion stopped being open
);
CREATE UNIQUE INDEX copilot_suggestions_key ON copilot_suggestions (account_id, kind, key)
    WHERE status IN ('open', 'dismissed', 'snoozed');
CREATE INDEX copilot_suggestions_account ON copilot_suggestions (account_id, created_at DESC);

CREATE TABLE copilot_changes (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    suggestion_id uuid,
    proposal_id   uuid,
    campaign_id   uuid,
    title         text NOT NULL,
    action        jsonb NOT NULL,
    before        jsonb NOT NULL,              -- the settings that the action changes, before the action
    after         jsonb NOT NULL,              -- the same settings after the action
    status        text NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'undone')),
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    undone_at     timestamptz
);
CREATE INDEX copilot_changes_account ON copilot_changes (account_id, created_at DESC);

CREATE TABLE copilot_proposals (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    campaign_id   uuid,
    title         text NOT NULL,
    reason        text NOT NULL DEFAULT '',
    action        jsonb NOT NULL,
    digest        text NOT NULL DEFAULT '',
    status        text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'applied', 'cancelled', 'stale')),
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz NOT NULL,
    decided_at    timestamptz
);
CREATE INDEX copilot_proposals_account ON copilot_proposals (account_id, created_at DESC);

-- When an account's figures were last judged, and when a person last requested a judgement.
CREATE TABLE copilot_runs (
    account_id   uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    run_at       timestamptz,
    asked_at     timestamptz,
    judged       integer NOT NULL DEFAULT 0,   -- number of cases that were judged
    next_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX copilot_runs_due ON copilot_runs (next_at);

-- +goose Down
DROP TABLE copilot_runs, copilot_proposals, copilot_changes, copilot_suggestions;
