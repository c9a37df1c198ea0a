-- The facts: clicks, the steps from landers to offers, conversions, raw postbacks, visitors who were seen before, and the ledger,
-- whose rows are added up for reports. In most columns, a zero UUID or an empty text means that there is no value, so that comparisons need no NULL.
-- +goose Up

-- The table has one partition for each day, by the time in the click id. db/click creates the partitions, and lists the columns
-- too.
CREATE TABLE clicks (
    id                 uuid NOT NULL PRIMARY KEY,
    at                 timestamptz NOT NULL, -- the time inside the id
    account_id         uuid NOT NULL,
    campaign_id        uuid NOT NULL,
    parent_campaign_id uuid NOT NULL,
    stream_id          uuid NOT NULL,
    lander_id          uuid NOT NULL,
    offer_id           uuid NOT NULL,
    network_id         uuid NOT NULL,
    source_id          uuid NOT NULL,
    visitor_id         uuid NOT NULL,
    domain             text NOT NULL,
    destination        text NOT NULL,
    arrival            text NOT NULL,
    external_id        text NOT NULL,
    subs               text[] NOT NULL, -- sub1, sub2 and so on, cut after the last one that is set
    params             text NOT NULL,
    ip                 inet,
    user_agent         text NOT NULL,
    referrer           text NOT NULL,
    referrer_domain    text NOT NULL,
    keyword            text NOT NULL,
    search_engine      text NOT NULL,
    language           text NOT NULL,
    country            text NOT NULL,
    region             text NOT NULL,
    city               text NOT NULL,
    isp                text NOT NULL,
    asn                bigint NOT NULL,
    mobile_operator    text NOT NULL,
    connection_type    text NOT NULL,
    proxy_kind         text NOT NULL,
    device_type        text NOT NULL,
    device_brand       text NOT NULL,
    device_model       text NOT NULL,
    os                 text NOT NULL,
    os_version         text NOT NULL,
    browser            text NOT NULL,
    browser_version    text NOT NULL,
    is_bot             boolean NOT NULL,
    bot_score          int NOT NULL,
    bot_signals        bigint NOT NULL,
    bot_reason         text NOT NULL,
    cost               numeric NOT NULL, -- the final cost: it includes unique_cost if the click is unique
    unique_cost        numeric NOT NULL,
    currency           text NOT NULL,
    conversion_cost    numeric NOT NULL,
    revenue_share      numeric NOT NULL,
    unique_key         uuid NOT NULL,
    unique_hours       int NOT NULL,
    is_unique          boolean NOT NULL,
    lp_views           int NOT NULL,
    lp_clicks          int NOT NULL,
    lp_slot            int NOT NULL, -- slot of the last click-out; 0 = no click-out
    last_hop_id        uuid NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX clicks_window ON clicks (account_id, id);

-- Steps from a lander to an offer. If a step is stored before its click, the step is applied when the click arrives.
CREATE TABLE click_hops (
    id          uuid PRIMARY KEY,
    click_id    uuid NOT NULL,
    account_id  uuid NOT NULL,
    slot        int  NOT NULL,
    offer_id    uuid NOT NULL,
    network_id  uuid NOT NULL,
    destination text NOT NULL,
    applied     boolean NOT NULL DEFAULT false
);
CREATE INDEX click_hops_click ON click_hops (click_id);
CREATE INDEX click_hops_waiting ON click_hops (click_id) WHERE NOT applied;

-- Visitors who were counted as unique. The time range [first_at, expires_at) covers every click that was counted as a unique
-- click of the visitor.
CREATE TABLE click_visitors (
    campaign_id uuid NOT NULL,
    unique_key  uuid NOT NULL,
    first_at    timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (campaign_id, unique_key)
);
CREATE INDEX click_visitors_expiry ON click_visitors (expires_at);

CREATE TABLE conversions (
    id              uuid PRIMARY KEY,
    account_id      uuid NOT NULL,
    click_id        uuid NOT NULL,
    conversion_id   text NOT NULL,
    goal            text NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'chargeback')),
    original_status text NOT NULL,
    payout          numeric NOT NULL,
    currency        text NOT NULL,
    cost            numeric NOT NULL, -- current cost of the conversion, which is 0 unless the conversion is approved
    given_cost      numeric,          -- from the postback; NULL: the click's cost model decides
    campaign_id     uuid NOT NULL,
    offer_id        uuid NOT NULL,
    source_id       uuid NOT NULL,
    network_id      uuid NOT NULL,
    source          text NOT NULL,
    recorded_at     timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL, -- the time of the latest event; each event gets a later time than the event before
    UNIQUE (click_id, goal, conversion_id)
);
CREATE INDEX conversions_log ON conversions (account_id, recorded_at DESC, id DESC);
CREATE INDEX conversions_window ON conversions (account_id, click_id);

-- Messages of networks and shops as they arrived. The job with the same id as a message turns the message into a conversion.
CREATE TABLE postbacks (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL,
    network_id    uuid NOT NULL,
    source        text NOT NULL,
    domain        text NOT NULL,
    ip            inet,
    params        jsonb NOT NULL,
    signature     text NOT NULL,
    signed_text   text NOT NULL,
    received_at   timestamptz NOT NULL,
    outcome       text NOT NULL DEFAULT 'pending'
        CHECK (outcome IN ('pending', 'recorded', 'ignored', 'refused', 'unmatched')),
    detail        text NOT NULL DEFAULT '',
    conversion_id uuid, -- the conversion that the message created or changed
    attempts      int NOT NULL DEFAULT 0,
    decided_at    timestamptz
);
CREATE INDEX postbacks_log ON postbacks (account_id, received_at DESC, id DESC);
CREATE INDEX postbacks_open ON postbacks (received_at) WHERE outcome IN ('pending', 'unmatched');

-- A change of a figure adds a row. A figure is the sum over its rows. Compaction replaces rows with equal keys by one row with
-- their sum.
CREATE TABLE ledger (
    account_id      uuid NOT NULL,
    hour            timestamptz NOT NULL,
    campaign_id     uuid NOT NULL,
    stream_id       uuid NOT NULL,
    lander_id       uuid NOT NULL,
    offer_id        uuid NOT NULL,
    source_id       uuid NOT NULL,
    country         text NOT NULL,
    device_type     text NOT NULL,
    os              text NOT NULL,
    browser         text NOT NULL,
    clicks          bigint NOT NULL,
    unique_clicks   bigint NOT NULL,
    bot_clicks      bigint NOT NULL,
    lp_views        bigint NOT NULL,
    lp_clicks       bigint NOT NULL,
    approved        bigint NOT NULL,
    pending         bigint NOT NULL,
    rejected        bigint NOT NULL,
    chargebacks     bigint NOT NULL,
    cost            numeric NOT NULL,
    revenue         numeric NOT NULL,
    pending_revenue numeric NOT NULL,
    merged          boolean NOT NULL DEFAULT false
);
CREATE INDEX ledger_window ON ledger (account_id, hour);
CREATE INDEX ledger_unmerged ON ledger (hour, account_id) WHERE NOT merged;

-- +goose Down
DROP TABLE ledger, postbacks, conversions, click_visitors, click_hops, clicks;
