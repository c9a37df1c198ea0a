-- MariaDB dump 10.19  Distrib 10.5.9-MariaDB, for Linux (x86_64)
--
-- Host: localhost    Database: keitaro
-- ------------------------------------------------------
-- Server version	10.5.9-MariaDB; it's a comment with 'quotes

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;

DROP TABLE IF EXISTS `keitaro_clicks`;
CREATE TABLE `keitaro_clicks` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `sub_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `user_agent` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`user_agent`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_clicks` WRITE;
/*!40000 ALTER TABLE `keitaro_clicks` DISABLE KEYS */;
INSERT INTO `keitaro_clicks` VALUES (0,'k0','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(1,'k1','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(2,'k2','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(3,'k3','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(4,'k4','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(5,'k5','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(6,'k6','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(7,'k7','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(8,'k8','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(9,'k9','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(10,'k10','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(11,'k11','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(12,'k12','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(13,'k13','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(14,'k14','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(15,'k15','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(16,'k16','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(17,'k17','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(18,'k18','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(19,'k19','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(20,'k20','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(21,'k21','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(22,'k22','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(23,'k23','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(24,'k24','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(25,'k25','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(26,'k26','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(27,'k27','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(28,'k28','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)'),(29,'k29','Mozilla/5.0 (it\'s; \\\"x\\\"); INSERT INTO `keitaro_offers` VALUES (9)');
/*!40000 ALTER TABLE `keitaro_clicks` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_users`;
CREATE TABLE `keitaro_users` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `login` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `password_hash` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`password_hash`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_users` WRITE;
/*!40000 ALTER TABLE `keitaro_users` DISABLE KEYS */;
INSERT INTO `keitaro_users` VALUES (1,'admin','not a hash');
/*!40000 ALTER TABLE `keitaro_users` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_groups`;
CREATE TABLE `keitaro_groups` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `position` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`type`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_groups` WRITE;
/*!40000 ALTER TABLE `keitaro_groups` DISABLE KEYS */;
INSERT INTO `keitaro_groups` VALUES (1,'Push',1,'campaigns'),(2,'Nutra',1,'offers');
/*!40000 ALTER TABLE `keitaro_groups` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_affiliate_networks`;
CREATE TABLE `keitaro_affiliate_networks` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_param` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `notes` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`notes`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_affiliate_networks` WRITE;
/*!40000 ALTER TABLE `keitaro_affiliate_networks` DISABLE KEYS */;
INSERT INTO `keitaro_affiliate_networks` VALUES (1,'Acme','https://go.buyer.example/0a1b2c3/postback?subid={aff_sub}&payout={payout}&status={status}&lead_status=new,hold&sale_status=ok','aff_sub={subid}','active','It\'s paid\non Fridays'),(2,'Old','','','deleted',NULL);
/*!40000 ALTER TABLE `keitaro_affiliate_networks` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_traffic_sources`;
CREATE TABLE `keitaro_traffic_sources` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_statuses` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `parameters` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `traffic_loss` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `notes` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`notes`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_traffic_sources` WRITE;
/*!40000 ALTER TABLE `keitaro_traffic_sources` DISABLE KEYS */;
INSERT INTO `keitaro_traffic_sources` VALUES (1,'Push house','https://push.example/conv?id={external_id}&sum={payout}','[\"sale\"]','{\"cost\": {\"name\": \"bid\", \"placeholder\": \"{bid}\", \"alias\": \"\"}, \"external_id\": {\"name\": \"click\", \"placeholder\": \"{clickid}\", \"alias\": \"\"}, \"sub_id_1\": {\"name\": \"zone\", \"placeholder\": \"{zoneid}\", \"alias\": \"Зона\"}, \"sub_id_2\": {\"name\": \"sub_id_2\", \"placeholder\": \"\", \"alias\": \"\"}}','2.50','active',NULL);
/*!40000 ALTER TABLE `keitaro_traffic_sources` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_domains`;
CREATE TABLE `keitaro_domains` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `is_ssl` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `default_campaign_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `catch_not_found` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `wildcard` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`group_id`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_domains` WRITE;
/*!40000 ALTER TABLE `keitaro_domains` DISABLE KEYS */;
INSERT INTO `keitaro_domains` VALUES (1,'go.buyer.example',1,'active',1,0,0,NULL),(2,'two.buyer.example',0,'active',NULL,0,0,NULL);
/*!40000 ALTER TABLE `keitaro_domains` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_offers`;
CREATE TABLE `keitaro_offers` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_payload` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `affiliate_network_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_value` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_currency` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_auto` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_upsell` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `country` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `notes` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `conversion_cap_enabled` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `daily_cap` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `alternative_offer_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`alternative_offer_id`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_offers` WRITE;
/*!40000 ALTER TABLE `keitaro_offers` DISABLE KEYS */;
INSERT INTO `keitaro_offers` (`id`, `name`, `offer_type`, `action_type`, `action_payload`, `affiliate_network_id`, `group_id`, `payout_value`, `payout_currency`, `payout_type`, `payout_auto`, `payout_upsell`, `country`, `state`, `notes`, `conversion_cap_enabled`, `daily_cap`, `alternative_offer_id`) VALUES (1,'Nutra DE','external','http','https://acme.example/nutra?c={country}',1,2,'12.3500','EUR','CPA',0,0,'[\"DE\"]','active',NULL,1,40,2),(2,'Nutra World','external','http','https://acme.example/world',1,2,'7.0000','USD','CPA',1,0,'[]','active','',0,0,NULL),(3,'Gone','external','http','https://acme.example/gone',1,2,'7.0000','USD','CPA',1,0,NULL,'deleted','',0,0,NULL);
/*!40000 ALTER TABLE `keitaro_offers` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_landings`;
CREATE TABLE `keitaro_landings` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `landing_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_payload` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_count` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `notes` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`notes`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_landings` WRITE;
/*!40000 ALTER TABLE `keitaro_landings` DISABLE KEYS */;
INSERT INTO `keitaro_landings` VALUES (1,'Quiz','external','http','https://pages.example/quiz/',NULL,1,'active',NULL),(2,'Local','local','local_file','',NULL,1,'active',NULL);
/*!40000 ALTER TABLE `keitaro_landings` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_campaigns`;
CREATE TABLE `keitaro_campaigns` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `alias` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `uniqueness_method` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cookies_ttl` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `position` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_value` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_currency` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `bind_visitors` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `traffic_source_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `token` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_auto` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `parameters` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `domain_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `notes` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`notes`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_campaigns` WRITE;
/*!40000 ALTER TABLE `keitaro_campaigns` DISABLE KEYS */;
INSERT INTO `keitaro_campaigns` VALUES (1,'push-de-1','Push DE','position','ip_ua',12,1,'active','CPC','0.0000','USD',1,'slo',1,'not a token',1,'{\"cost\": {\"name\": \"bid\", \"placeholder\": \"{bid}\", \"alias\": \"\"}, \"external_id\": {\"name\": \"click\", \"placeholder\": \"{clickid}\", \"alias\": \"\"}, \"sub_id_1\": {\"name\": \"zone\", \"placeholder\": \"{zoneid}\", \"alias\": \"Зона\"}}',2,''),(2,'byweight','By weight','weight','cookies',24,2,'disabled','CPUC','0.0450','EUR',NULL,NULL,0,'',0,'[]',1,NULL),(3,'byparam1','By parameter','position','get_parameter',24,3,'active','CPC','0','USD',NULL,NULL,1,'',0,NULL,NULL,NULL);
/*!40000 ALTER TABLE `keitaro_campaigns` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_campaign_postbacks`;
CREATE TABLE `keitaro_campaign_postbacks` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `campaign_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `method` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `statuses` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`url`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_campaign_postbacks` WRITE;
/*!40000 ALTER TABLE `keitaro_campaign_postbacks` DISABLE KEYS */;
INSERT INTO `keitaro_campaign_postbacks` VALUES (1,2,'GET','[\"sale\", \"rebill\"]','https://mine.example/?c={subid}'),(2,99,'GET','[]','https://nobody.example/');
/*!40000 ALTER TABLE `keitaro_campaign_postbacks` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_streams`;
CREATE TABLE `keitaro_streams` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `campaign_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `position` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `weight` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_payload` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action_options` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `comments` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `schema` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `collect_clicks` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `filter_or` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`filter_or`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_streams` WRITE;
/*!40000 ALTER TABLE `keitaro_streams` DISABLE KEYS */;
INSERT INTO `keitaro_streams` VALUES (1,'forced','Bots',1,1,100,'status404','','{}','','active','action',1,0),(2,'regular','Germany',1,2,100,'http','','{}','','active','landings',1,0),(3,'default','Rest',1,3,100,'http','','{}','','active','landings',1,0),(4,'regular','A',2,1,70,'http','','{}','','active','landings',0,0),(5,'regular','B',2,2,30,'meta','https://other.example/?id={subid}','{}','','active','redirect',1,0),(6,'regular','Off',3,1,100,'show_html','<p class=\"x\">it\'s;\n(\'here\')</p>','{}','','active','action',1,1),(7,'regular','Nobody\'s',99,1,100,'http','https://x.example/','{}','','active','redirect',1,0);
/*!40000 ALTER TABLE `keitaro_streams` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_stream_filters`;
CREATE TABLE `keitaro_stream_filters` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `mode` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payload` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`payload`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_stream_filters` WRITE;
/*!40000 ALTER TABLE `keitaro_stream_filters` DISABLE KEYS */;
INSERT INTO `keitaro_stream_filters` VALUES (1,1,'bot','accept',NULL),(2,2,'country','accept','[\"DE\", \"AT\"]'),(3,2,'sub_id_1','reject','[\"bad*\"]'),(4,6,'limit','accept','{\"per_hour\": 0, \"per_day\": 10, \"total\": 0}'),(5,98,'country','accept','[\"FR\"]');
/*!40000 ALTER TABLE `keitaro_stream_filters` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_stream_landing_associations`;
CREATE TABLE `keitaro_stream_landing_associations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `landing_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `share` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_stream_landing_associations` WRITE;
/*!40000 ALTER TABLE `keitaro_stream_landing_associations` DISABLE KEYS */;
INSERT INTO `keitaro_stream_landing_associations` VALUES (1,2,1,100,'active'),(2,2,2,100,'disabled');
/*!40000 ALTER TABLE `keitaro_stream_landing_associations` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_stream_offer_associations`;
CREATE TABLE `keitaro_stream_offer_associations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `share` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_stream_offer_associations` WRITE;
/*!40000 ALTER TABLE `keitaro_stream_offer_associations` DISABLE KEYS */;
INSERT INTO `keitaro_stream_offer_associations` VALUES (1,2,1,70,'active'),(2,2,2,30,'active'),(3,3,2,100,'active'),(4,4,1,100,'active'),(5,4,3,50,'active');
/*!40000 ALTER TABLE `keitaro_stream_offer_associations` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_triggers`;
CREATE TABLE `keitaro_triggers` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `action` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`action`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_triggers` WRITE;
/*!40000 ALTER TABLE `keitaro_triggers` DISABLE KEYS */;
INSERT INTO `keitaro_triggers` VALUES (1,3,'disable');
/*!40000 ALTER TABLE `keitaro_triggers` ENABLE KEYS */;
UNLOCK TABLES;

-- Dump completed on 2026-11-01 10:00:00
