-- Lists of IP networks, domains and user agents that an operator has loaded for all accounts. There is at most one list of each kind.
-- +goose Up
CREATE TABLE bot_data (
    id        uuid PRIMARY KEY,
    kind      text NOT NULL UNIQUE,
    packed    bytea NOT NULL, -- the entries, one a line, compressed
    entries   int NOT NULL,
    dated     timestamptz NOT NULL, -- the date of the data
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE bot_data ALTER COLUMN packed SET STORAGE EXTERNAL;
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON bot_data FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- +goose Down
DROP TABLE bot_data;
