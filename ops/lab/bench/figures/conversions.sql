-- Conversions of some of the clicks of account $1.
INSERT INTO conversions (id, account_id, click_id, conversion_id, goal, status, original_status, payout, currency, cost,
	campaign_id, offer_id, source_id, network_id, source, recorded_at, updated_at)
SELECT gen_random_uuid(), account_id, id, '', '', status, status, round((1 + u * 30)::numeric, 2), 'USD',
	CASE WHEN status = 'approved' THEN 0.1 ELSE 0 END, campaign_id, offer_id, source_id, network_id, 'postback',
	at + u * interval '1 day', at + u * interval '1 day'
FROM (
	SELECT *, (ARRAY['approved', 'approved', 'approved', 'pending', 'rejected', 'chargeback'])[1 + (u * 5)::int] AS status
	FROM (SELECT *, random() AS u FROM clicks WHERE account_id = $1 AND NOT is_bot AND random() < 0.03) a
) b
