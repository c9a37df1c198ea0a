-- +goose Up
-- The keys by which configuration documents name the records of an account.
CREATE TABLE config_keys (
	account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
	kind       text NOT NULL,
	key        text NOT NULL,
	record_id  uuid NOT NULL,
	PRIMARY KEY (account_id, kind, key),
	UNIQUE (account_id, kind, record_id)
);

-- The changes that a configuration document would make. A plan has the id of the job that made it.
CREATE TABLE config_plans (
	id         uuid PRIMARY KEY,
	account_id uuid        NOT NULL REFERENCES accounts ON DELETE CASCADE,
	document   bytea       NOT NULL,
	prune      jsonb       NOT NULL DEFAULT '{}',
	origin     text        NOT NULL DEFAULT '',
	state      text        NOT NULL DEFAULT 'making',
	counts     jsonb       NOT NULL DEFAULT '{}',
	notes      jsonb       NOT NULL DEFAULT '[]',
	links      jsonb       NOT NULL DEFAULT '[]', -- addresses of another tracker that lead to campaigns of the plan
	access     bytea, -- address and credentials of another tracker, encrypted; null once the tracker has been read
	progress   text        NOT NULL DEFAULT '', -- progress of reading the other tracker
	problem    text        NOT NULL DEFAULT '',
	job_id     uuid, -- the last job that began to apply or to undo the plan
	created_at timestamptz NOT NULL DEFAULT now(),
	applied_at timestamptz,
	undone_at  timestamptz
);
CREATE INDEX config_plans_account ON config_plans (account_id, created_at DESC, id DESC);

CREATE TABLE config_items (
	plan_id    uuid    NOT NULL REFERENCES config_plans ON DELETE CASCADE,
	account_id uuid    NOT NULL REFERENCES accounts ON DELETE CASCADE,
	position   integer NOT NULL,
	kind       text    NOT NULL,
	key        text    NOT NULL,
	name       text    NOT NULL,
	op         text    NOT NULL,
	fields     jsonb   NOT NULL DEFAULT '[]',
	errors     jsonb   NOT NULL DEFAULT '[]',
	warnings   jsonb   NOT NULL DEFAULT '[]',
	before     jsonb,
	after      jsonb,
	done       boolean NOT NULL DEFAULT false,
	PRIMARY KEY (plan_id, position)
);
CREATE INDEX config_items_account ON config_items (account_id);

-- +goose Down
DROP TABLE config_items;
DROP TABLE config_plans;
DROP TABLE config_keys;
