-- Data for the signals that are found only after the click: which clicks have been scanned, which clicks must be scanned again, the
-- clicks among which repetitions are searched, and the landing pages that have the page tag.
-- +goose Up
CREATE TABLE bot_scans (
    account_id    uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    scanned_after uuid NOT NULL,              -- clicks up to this id have been scanned
    revision      bigint NOT NULL DEFAULT 0,  -- changes when scanned_after was changed or a late click was stored
    leased_until  timestamptz                 -- until then, one worker scans the later clicks
);

CREATE TABLE bot_rechecks (
    click_id   uuid PRIMARY KEY,
    account_id uuid NOT NULL,                 -- the click's account; zero: it was not known when the row was stored
    signals    bigint NOT NULL,               -- the signals that have fired
    queued_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bot_rechecks_account ON bot_rechecks (account_id, click_id);
CREATE INDEX bot_rechecks_queued ON bot_rechecks (queued_at);

CREATE TABLE bot_repeats (
    account_id  uuid NOT NULL,
    campaign_id uuid NOT NULL,
    visitor     uuid NOT NULL,                -- a hash of address and user agent
    at          timestamptz NOT NULL,
    click_id    uuid NOT NULL,
    PRIMARY KEY (account_id, campaign_id, visitor, at, click_id)
);
CREATE INDEX bot_repeats_at ON bot_repeats (at);

CREATE TABLE bot_tagged (
    account_id uuid NOT NULL,
    lander_id  uuid NOT NULL,
    click_id   uuid NOT NULL,                 -- a click whose visitor's events came from the landing page
    PRIMARY KEY (account_id, lander_id, click_id)
);
CREATE INDEX bot_tagged_click ON bot_tagged (click_id);

-- +goose Down
DROP TABLE bot_tagged, bot_repeats, bot_rechecks, bot_scans;
