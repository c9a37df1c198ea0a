-- The days whose clicks were removed from PostgreSQL and are in ClickHouse, and the days whose clicks were brought back.
-- +goose Up
CREATE TABLE click_cold (
    day       date PRIMARY KEY,
    left_at   timestamptz NOT NULL DEFAULT now(), -- when the day's clicks left PostgreSQL
    thawed_at timestamptz                         -- when clicks last came back (may be up to an hour too early); NULL: no click came back
);

-- The days for which all clicks of an account came back.
CREATE TABLE click_thaws (
    account_id uuid NOT NULL,
    day        date NOT NULL,
    PRIMARY KEY (account_id, day)
);

-- Clicks that come back are still in ClickHouse, so they are not recorded as changes.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('switchyard.thaws', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO click_changes (account_id, click_id, removed) SELECT account_id, id, TG_OP = 'DELETE' FROM changed;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE click_thaws, click_cold;
