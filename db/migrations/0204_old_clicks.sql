-- Clicks and conversions of the tracker that an account moved from, by their ids at that tracker. The clicks are used to find
-- the click of a postback that names a click id of the old tracker.
-- +goose Up
ALTER TABLE accounts ADD COLUMN has_old_clicks boolean NOT NULL DEFAULT false; -- true: postbacks with unknown click ids are stored too

CREATE TABLE old_clicks (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    old_id     text NOT NULL,
    click_id   uuid NOT NULL,
    PRIMARY KEY (account_id, old_id)
);
CREATE INDEX old_clicks_click ON old_clicks (click_id);

CREATE TABLE old_conversions (
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    old_id        text NOT NULL,
    click_id      uuid NOT NULL,
    goal          text NOT NULL,
    conversion_id text NOT NULL, -- conversion_id under which it was recorded here
    PRIMARY KEY (account_id, old_id)
);
CREATE INDEX old_conversions_click ON old_conversions (click_id);

-- +goose Down
DROP TABLE old_conversions;
DROP TABLE old_clicks;
ALTER TABLE accounts DROP COLUMN has_old_clicks;
