-- Days whose clicks are in ClickHouse alone, and what was brought back of them.
-- +goose Up
CREATE TABLE click_cold (
    day       date PRIMARY KEY,
    left_at   timestamptz NOT NULL DEFAULT now(), -- when its clicks left PostgreSQL
    thawed_at timestamptz                         -- within the hour of the last time that some came back; NULL: none did
);

-- The days of accounts that came back as a whole.
CREATE TABLE click_thaws (
    account_id uuid NOT NULL,
    day        date NOT NULL,
    PRIMARY KEY (account_id, day)
);

-- What comes back is in ClickHouse already.
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
