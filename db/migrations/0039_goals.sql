-- The customer's own sites, their goals, and the events that pages and servers report.
-- +goose Up
CREATE TABLE sites (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name         text NOT NULL,
    domain       text NOT NULL DEFAULT '', -- host of its pages; may be empty
    currency     text NOT NULL DEFAULT 'USD',
    kind         text NOT NULL DEFAULT 'store' CHECK (kind IN ('store', 'lead')),
    revenue_from text NOT NULL DEFAULT 'order' CHECK (revenue_from IN ('order', 'fixed')),
    is_active    boolean NOT NULL DEFAULT true,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX sites_name ON sites (account_id, kind, lower(name));
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON sites FOR EACH ROW EXECUTE FUNCTION notify_routing();

CREATE TABLE goals (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    site_id    uuid NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    key        text NOT NULL,
    name       text NOT NULL,
    kind       text NOT NULL DEFAULT 'event' CHECK (kind IN ('event', 'page')),
    match_path text NOT NULL DEFAULT '', -- path of a page goal
    dedupe     text NOT NULL DEFAULT 'per_click' CHECK (dedupe IN ('per_click', 'per_order')),
    value_mode text NOT NULL DEFAULT 'none' CHECK (value_mode IN ('none', 'fixed', 'from_event')),
    value      numeric(20, 6) NOT NULL DEFAULT 0,
    currency   text NOT NULL DEFAULT '', -- empty: the site's currency
    status     text NOT NULL DEFAULT 'approved' CHECK (status IN ('pending', 'approved')),
    is_primary boolean NOT NULL DEFAULT false,
    is_active  boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX goals_key ON goals (site_id, key);
CREATE UNIQUE INDEX goals_name ON goals (site_id, lower(name));
CREATE INDEX goals_account ON goals (account_id);
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON goals FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- The secret with which servers report goals. The hash is for recognising a secret that is sent, and the encrypted secret is for
-- checking signatures.
ALTER TABLE accounts
    ADD COLUMN goal_secret_hash bytea,
    ADD COLUMN goal_secret      bytea,
    ADD COLUMN goal_secret_at   timestamptz;

-- What the visitors of a site did. The id is derived from the account, the source and the id that the sender gave the event.
CREATE TABLE site_events (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL,
    site_id     uuid NOT NULL,
    received_at timestamptz NOT NULL,
    at          timestamptz NOT NULL,
    click_id    uuid NOT NULL, -- zero: no click
    arrival     text NOT NULL, -- how the page got the click id
    ad_id       text NOT NULL,
    name        text NOT NULL,
    host        text NOT NULL,
    path        text NOT NULL,
    referrer    text NOT NULL,
    value       numeric(20, 6) NOT NULL,
    currency    text NOT NULL,
    order_id    text NOT NULL,
    items       jsonb NOT NULL,
    slot        int NOT NULL,
    source      text NOT NULL,
    time_zone   text NOT NULL,
    screen      text NOT NULL,
    web_driver  boolean NOT NULL,
    goals       text[] NOT NULL, -- keys of the goals that the event reached
    applied     boolean NOT NULL -- false: the arrival has yet to be copied to the click
);
CREATE INDEX site_events_account ON site_events (account_id, received_at);
CREATE INDEX site_events_site ON site_events (site_id, received_at);
CREATE INDEX site_events_click ON site_events (click_id) WHERE click_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX site_events_waiting ON site_events (received_at, click_id) WHERE NOT applied;

-- +goose Down
DROP TABLE site_events, goals, sites;
ALTER TABLE accounts DROP COLUMN goal_secret_at, DROP COLUMN goal_secret, DROP COLUMN goal_secret_hash;
