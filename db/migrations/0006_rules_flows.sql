-- Records from which campaigns and networks are built: saved rules, saved flows, and an account's own templates of affiliate
-- networks.
-- +goose Up

-- A deleted rule stays stored while a campaign or a saved flow uses it. Campaigns still route by the rule's conditions.
CREATE TABLE rules (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       text NOT NULL,
    notes      text NOT NULL DEFAULT '',
    logic      text NOT NULL DEFAULT 'and' CHECK (logic IN ('and', 'or')),
    conditions jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at timestamptz
);
CREATE UNIQUE INDEX rules_name ON rules (account_id, lower(name)) WHERE deleted_at IS NULL;
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON rules FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- A saved flow is copied into campaigns, so nothing refers to it.
CREATE TABLE flows (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       text NOT NULL,
    country    text NOT NULL DEFAULT '',
    group_name text NOT NULL DEFAULT '',
    tags       text[] NOT NULL DEFAULT '{}',
    notes      text NOT NULL DEFAULT '',
    paths      jsonb NOT NULL,
    is_active  boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX flows_list ON flows (account_id, updated_at DESC, id DESC);

CREATE TABLE network_templates (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       text NOT NULL,
    settings   jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX network_templates_name ON network_templates (account_id, lower(name));

-- +goose Down
DROP TABLE network_templates, flows, rules;
