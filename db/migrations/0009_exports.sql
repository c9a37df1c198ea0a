-- Files of reports, stored where every web process can read them, compressed and in pieces.
-- +goose Up

-- The id is the id of the job that made the file. The row is written last, so a file that has a row is complete.
CREATE TABLE exports (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    name       text NOT NULL,
    row_count  bigint NOT NULL,
    byte_size  bigint NOT NULL, -- size of the downloaded file
    fence      bigint NOT NULL, -- fence of the attempt whose chunks make up the file
    created_at timestamptz NOT NULL
);
CREATE INDEX exports_list ON exports (account_id, created_at DESC, id DESC);
CREATE INDEX exports_age ON exports (created_at);

-- The pieces of one gzip stream. Each attempt of a job writes its own pieces. Pieces that belong to no file are deleted after a
-- day.
CREATE TABLE export_chunks (
    export_id  uuid NOT NULL,
    fence      bigint NOT NULL,
    n          int NOT NULL,
    content    bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (export_id, fence, n)
);
ALTER TABLE export_chunks ALTER COLUMN content SET STORAGE EXTERNAL; -- compressed already

-- +goose Down
DROP TABLE export_chunks, exports;
