-- The state of publishing to the edge: what was published, and what must be published. The owner of a row is an account, which
-- may have been deleted. The entries of a deleted account are removed from the edge later, so its rows outlive the account.
-- +goose Up
CREATE TABLE edge_changes (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id uuid NOT NULL -- the account whose data have changed
);

CREATE TABLE edge_accounts (
    owner_id     uuid PRIMARY KEY,
    wanted       bigint NOT NULL DEFAULT 1,    -- incremented each time that new changes of the account are collected
    published    bigint NOT NULL DEFAULT 0,    -- the value of wanted when the last successful publishing began
    target       text NOT NULL DEFAULT '',     -- where the account was published, and in which form
    published_at timestamptz,
    failures     integer NOT NULL DEFAULT 0,   -- number of failures in a row
    failure      text NOT NULL DEFAULT '',
    next_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE edge_keys (
    key         text PRIMARY KEY,
    owner_id    uuid NOT NULL,
    campaign_id uuid NOT NULL,
    hash        bytea NOT NULL DEFAULT '',     -- hash of the published value; empty: not known
    held        boolean NOT NULL DEFAULT true, -- false: the edge does not have the key; true: perhaps it has it
    origin      text[] NOT NULL DEFAULT '{}'   -- the parts of the campaign, such as daily_cap, for which the edge forwards requests to this service
);
CREATE INDEX edge_keys_owner ON edge_keys (owner_id);

-- +goose StatementBegin
CREATE FUNCTION note_edge_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO edge_changes (owner_id)
    SELECT DISTINCT o FROM unnest(ARRAY[OLD.account_id, NEW.account_id]) AS o WHERE o IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION note_edge_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO edge_changes (owner_id)
    SELECT DISTINCT o FROM unnest(ARRAY[OLD.id, NEW.id]) AS o WHERE o IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON accounts        FOR EACH ROW EXECUTE FUNCTION note_edge_account();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON domains         FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON traffic_sources FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON networks        FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON offers          FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON landers         FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON rules           FOR EACH ROW EXECUTE FUNCTION note_edge_change();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON campaigns       FOR EACH ROW EXECUTE FUNCTION note_edge_change();

-- +goose Down
DROP FUNCTION note_edge_change() CASCADE;
DROP FUNCTION note_edge_account() CASCADE;
DROP TABLE edge_keys;
DROP TABLE edge_accounts;
DROP TABLE edge_changes;
