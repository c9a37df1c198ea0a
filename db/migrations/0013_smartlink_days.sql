-- Clicks of smartlinks get daily partitions, as clicks of campaigns already have, so that retention can drop whole partitions.
-- +goose Up
ALTER TABLE smartlink_clicks RENAME TO smartlink_clicks_whole;
CREATE TABLE smartlink_clicks (LIKE smartlink_clicks_whole) PARTITION BY RANGE (id);
ALTER TABLE smartlink_clicks ADD PRIMARY KEY (id);
CREATE INDEX smartlink_clicks_days_window ON smartlink_clicks (account_id, id);
CREATE INDEX smartlink_clicks_days_link ON smartlink_clicks (smartlink_id, id);

-- +goose StatementBegin
DO $$
DECLARE
    midnight timestamptz;
    floors   uuid[];
BEGIN
    FOR midnight IN SELECT DISTINCT date_trunc('day', at, 'UTC') FROM smartlink_clicks_whole LOOP
        SELECT array_agg(rpad(lpad(to_hex((extract(epoch FROM midnight) * 1000)::bigint + n * 86400000), 12, '0'), 32, '0')::uuid
            ORDER BY n) INTO floors FROM generate_series(0, 1) n;
        EXECUTE format('CREATE TABLE %I PARTITION OF smartlink_clicks FOR VALUES FROM (%L) TO (%L)',
            'smartlink_clicks_p' || to_char(midnight AT TIME ZONE 'UTC', 'YYYYMMDD'), floors[1], floors[2]);
    END LOOP;
END $$;
-- +goose StatementEnd
INSERT INTO smartlink_clicks SELECT * FROM smartlink_clicks_whole;
DROP TABLE smartlink_clicks_whole;

-- +goose Down
CREATE TABLE smartlink_clicks_whole (LIKE smartlink_clicks);
INSERT INTO smartlink_clicks_whole SELECT * FROM smartlink_clicks;
DROP TABLE smartlink_clicks;
ALTER TABLE smartlink_clicks_whole RENAME TO smartlink_clicks;
ALTER TABLE smartlink_clicks ADD PRIMARY KEY (id);
CREATE INDEX smartlink_clicks_window ON smartlink_clicks (account_id, id);
CREATE INDEX smartlink_clicks_link ON smartlink_clicks (smartlink_id, id);
