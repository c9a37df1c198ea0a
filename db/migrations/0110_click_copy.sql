-- The copy of clicks and conversions in ClickHouse. If click_copy has no row, there is no copy. The triggers that record changes
-- exist only while click_copy has a row: see db/clickcopy.
-- +goose Up
CREATE TABLE click_copy (
    one         boolean PRIMARY KEY DEFAULT true CHECK (one),
    state       text NOT NULL CHECK (state IN ('copying', 'on', 'ending')),
    base        bigint NOT NULL,            -- the version of the rows that are copied day by day
    version     bigint NOT NULL,            -- the highest version that was issued
    copied_from date,                       -- while the copy is made: this day and all later days have been copied
    cold_before date,                       -- clicks of earlier days may be only in ClickHouse; NULL: there are no such days
    began_at    timestamptz NOT NULL DEFAULT now()
);

-- Changes that have not been copied to ClickHouse yet.
CREATE TABLE click_changes (
    n             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    uuid NOT NULL,
    click_id      uuid NOT NULL,
    conversion_id uuid,                     -- the changed conversion; NULL: the click changed
    removed       boolean NOT NULL,         -- the click or the conversion was deleted
    noted_at      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);
CREATE INDEX click_changes_click ON click_changes (click_id) WHERE removed;

-- Deleted accounts whose rows must still be deleted from ClickHouse.
CREATE TABLE click_forgotten (
    account  uuid PRIMARY KEY,
    noted_at timestamptz NOT NULL DEFAULT now()
);

-- +goose StatementBegin
CREATE FUNCTION note_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO click_changes (account_id, click_id, removed) SELECT account_id, id, TG_OP = 'DELETE' FROM changed;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION note_conversions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO click_changes (account_id, click_id, conversion_id, removed)
    SELECT account_id, click_id, id, TG_OP = 'DELETE' FROM changed;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION note_clicks() CASCADE;
DROP FUNCTION note_conversions() CASCADE;
DROP TABLE click_forgotten, click_changes, click_copy;
