-- Saved views of reports, and the notes that people write on the time line of charts.
-- +goose Up
CREATE TABLE views (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id    uuid REFERENCES users (id) ON DELETE SET NULL, -- who made the view
    author     text NOT NULL,                                -- the author's name when the view was made
    name       text NOT NULL,
    shared     boolean NOT NULL,                             -- every person on the account sees the view
    report     jsonb NOT NULL,                               -- grouping, filters, columns, order
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX views_account ON views (account_id);
-- A name is unique: in the account for shared views, and for each author for views that are not shared.
CREATE UNIQUE INDEX views_shared_name ON views (account_id, lower(name)) WHERE shared;
CREATE UNIQUE INDEX views_own_name ON views (account_id, user_id, lower(name)) WHERE NOT shared;

-- The view with which a person's reports open.
CREATE TABLE default_views (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    view_id    uuid NOT NULL REFERENCES views (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX default_views_view ON default_views (view_id);

CREATE TABLE notes (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id     uuid REFERENCES users (id) ON DELETE SET NULL, -- who wrote the note
    author      text NOT NULL,                                -- the author's name when the note was written
    at          timestamptz NOT NULL,                         -- the time that the note is about
    text        text NOT NULL,
    campaign_id uuid REFERENCES campaigns (id) ON DELETE CASCADE, -- null: all campaigns
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX notes_account ON notes (account_id, at);
CREATE INDEX notes_campaign ON notes (campaign_id);

-- +goose Down
DROP TABLE notes, default_views, views;
