-- Blocked values, such as placements that lose money. A visitor with such a value gets the campaign's fallback. A list has the
-- blocked values of one dimension in an account, for a traffic source or in a campaign. Web processes keep whole lists in memory. A
-- change of values therefore also writes the row of their list, whose trigger makes the web processes read the list again.
-- +goose Up
CREATE TABLE block_lists (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    scope      text NOT NULL CHECK (scope IN ('account', 'source', 'campaign')),
    scope_id   uuid NOT NULL, -- the account, the source or the campaign
    dimension  text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (account_id, scope_id, dimension)
);
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON block_lists FOR EACH ROW EXECUTE FUNCTION notify_routing();
CREATE TRIGGER note_edge_change AFTER INSERT OR UPDATE OR DELETE ON block_lists FOR EACH ROW EXECUTE FUNCTION note_edge_change();

CREATE TABLE blocked_values (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    list_id    uuid NOT NULL REFERENCES block_lists (id) ON DELETE CASCADE,
    value      text NOT NULL,
    change_id  uuid NOT NULL, -- the change that blocked the value
    who        text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    removal_id uuid,        -- the change that allowed the value again; this change can be undone
    removed_at timestamptz, -- null: the value is blocked
    UNIQUE (list_id, value)
);
CREATE INDEX blocked_values_list ON blocked_values (account_id, created_at DESC, id DESC);

-- +goose Down
DROP TABLE blocked_values, block_lists;
