-- Fills source_figures for the days that were read from a platform before the table existed. Each transaction copies 50 days. If
-- the transaction that creates the table also copied them, it would block every change of accounts and traffic sources. A day
-- that already has figures keeps them.
-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    last_source uuid := '00000000-0000-0000-0000-000000000000';
    last_day date := '-infinity';
    sources uuid[];
    days date[];
BEGIN
    LOOP
        SELECT array_agg(source_id ORDER BY source_id, day), array_agg(day ORDER BY source_id, day) INTO sources, days FROM (
            SELECT source_id, day FROM source_spend_days WHERE (source_id, day) > (last_source, last_day) ORDER BY source_id, day LIMIT 50
        ) next;
        EXIT WHEN sources IS NULL;
        INSERT INTO source_figures (source_id, day, campaign_id, account_id, amount, currency, clicks, impressions)
        SELECT s.source_id, s.day, s.campaign_id, s.account_id, s.amount, s.currency, s.clicks, s.impressions
        FROM unnest(sources, days) AS next (source_id, day)
            JOIN source_spend_days d ON d.source_id = next.source_id AND d.day = next.day
            JOIN spend s ON s.account_id = d.account_id AND s.day = d.day AND s.source_id = d.source_id
        WHERE NOT EXISTS (SELECT FROM source_figures f WHERE f.source_id = d.source_id AND f.day = d.day)
        ON CONFLICT DO NOTHING;
        COMMIT;
        last_source := sources[cardinality(sources)];
        last_day := days[cardinality(days)];
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
