-- MariaDB dump 10.19  Distrib 10.5.9-MariaDB, for Linux (x86_64)
--
-- Host: localhost    Database: keitaro
-- ------------------------------------------------------
-- Server version	10.5.9-MariaDB; it's a comment with 'quotes

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8 */;

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
INSERT INTO `keitaro_groups` VALUES (1,'Push',1,'campaign'),(2,'Nutra',1,'offer');
/*!40000 ALTER TABLE `keitaro_groups` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_affiliate_networks`;
CREATE TABLE `keitaro_affiliate_networks` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_param` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_affiliate_networks` WRITE;
/*!40000 ALTER TABLE `keitaro_affiliate_networks` DISABLE KEYS */;
INSERT INTO `keitaro_affiliate_networks` VALUES (1,'Acme','','$subid_is_no_pair','active');
/*!40000 ALTER TABLE `keitaro_affiliate_networks` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_ref_sources`;
CREATE TABLE `keitaro_ref_sources` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `postback_statuses` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `parameters` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_ref_sources` WRITE;
/*!40000 ALTER TABLE `keitaro_ref_sources` DISABLE KEYS */;
INSERT INTO `keitaro_ref_sources` VALUES (1,'Push house','https://push.example/conv?id=$external_id','a:2:{i:0;s:4:\"sale\";i:1;s:4:\"lead\";}','a:4:{i:0;a:3:{s:5:\"param\";s:4:\"zone\";s:5:\"token\";s:8:\"{zoneid}\";s:5:\"alias\";s:8:\"sub_id_1\";}i:1;a:2:{s:4:\"name\";s:8:\"sub_id_2\";s:5:\"value\";s:6:\"{adid}\";}i:2;a:3:{s:5:\"param\";s:8:\"bidprice\";s:5:\"macro\";s:5:\"{bid}\";s:5:\"alias\";s:4:\"cost\";}i:3;a:2:{s:5:\"param\";s:4:\"free\";s:5:\"macro\";s:6:\"{free}\";}}','active');
/*!40000 ALTER TABLE `keitaro_ref_sources` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_offers`;
CREATE TABLE `keitaro_offers` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `affiliate_network_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_value` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_currency` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `payout_auto` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_offers` WRITE;
/*!40000 ALTER TABLE `keitaro_offers` DISABLE KEYS */;
INSERT INTO `keitaro_offers` VALUES (1,'Nutra DE','https://acme.example/nutra?c=$country&k=$keyword&s=$sub_id_1',0,2,'12.3500','EUR','CPA',0,'active'),(2,'Nutra World','https://acme.example/world',0,2,'7.0000','USD','CPA',1,'active');
/*!40000 ALTER TABLE `keitaro_offers` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_landings`;
CREATE TABLE `keitaro_landings` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `url` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `landing_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`state`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_landings` WRITE;
/*!40000 ALTER TABLE `keitaro_landings` DISABLE KEYS */;
INSERT INTO `keitaro_landings` VALUES (1,'Quiz','https://pages.example/quiz/','external',NULL,'active');
/*!40000 ALTER TABLE `keitaro_landings` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_campaigns`;
CREATE TABLE `keitaro_campaigns` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `alias` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `name` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `rotation` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cookies_ttl` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_type` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_value` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_currency` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `group_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `traffic_source_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `cost_auto` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `parameters` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`parameters`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_campaigns` WRITE;
/*!40000 ALTER TABLE `keitaro_campaigns` DISABLE KEYS */;
INSERT INTO `keitaro_campaigns` VALUES (1,'push-de-1','Push DE','0',24,'active','CPC','0.0000','USD',1,1,0,'a:0:{}');
INSERT INTO `keitaro_campaigns` VALUES (2,'byweight','By weight','1',24,'active','CPC','0.1000','EUR',NULL,1,0,'');
INSERT INTO `keitaro_campaigns` VALUES (3,'wordy001','By a word','probability',24,'active','CPC','0.1000','EUR',NULL,0,0,'a:1:{s:8:\"sub_id_1\";a:3:{s:4:\"name\";s:8:\"sub_id_1\";s:11:\"placeholder\";s:0:\"\";s:5:\"alias\";s:0:\"\";}}');
/*!40000 ALTER TABLE `keitaro_campaigns` ENABLE KEYS */;
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
  `state` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `schema` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `collect_clicks` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`collect_clicks`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_streams` WRITE;
/*!40000 ALTER TABLE `keitaro_streams` DISABLE KEYS */;
INSERT INTO `keitaro_streams` VALUES (1,'regular','Germany',1,2,100,'http',NULL,'active','landings',1),(2,'regular','Bots first',1,1,100,'do_nothing',NULL,'active','action',1),(3,'regular','A',2,1,70,'http','https://a.example/?z=$sub_id_1','active','redirect',1),(4,'regular','B',2,2,30,'frame','https://b.example/','active','redirect',1),(5,'regular','C',3,2,30,'campaign','1','active','action',1);
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
INSERT INTO `keitaro_stream_filters` VALUES (1,2,'is_bot','accept','a:0:{}'),(2,1,'country','accept','a:1:{i:0;s:2:\"DE\";}'),(3,1,'keyword','reject','a:2:{s:1:\"0\";s:8:\"*casino*\";s:1:\"2\";s:10:\"бонус\";}'),(4,3,'limit','accept','a:3:{s:8:\"per_hour\";N;s:7:\"per_day\";s:2:\"25\";s:5:\"total\";i:0;}');
/*!40000 ALTER TABLE `keitaro_stream_filters` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_stream_landing_associations`;
CREATE TABLE `keitaro_stream_landing_associations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `landing_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `percentage` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`percentage`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_stream_landing_associations` WRITE;
/*!40000 ALTER TABLE `keitaro_stream_landing_associations` DISABLE KEYS */;
INSERT INTO `keitaro_stream_landing_associations` VALUES (1,1,1,100);
/*!40000 ALTER TABLE `keitaro_stream_landing_associations` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `keitaro_stream_offer_associations`;
CREATE TABLE `keitaro_stream_offer_associations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `stream_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `offer_id` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  `weight` text COLLATE utf8mb4_unicode_ci DEFAULT 'a,b(c' COMMENT 'it''s',
  PRIMARY KEY (`id`),
  KEY `by_name` (`weight`(10))
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `keitaro_stream_offer_associations` WRITE;
/*!40000 ALTER TABLE `keitaro_stream_offer_associations` DISABLE KEYS */;
INSERT INTO `keitaro_stream_offer_associations` VALUES (1,1,1,60),(2,1,2,40);
/*!40000 ALTER TABLE `keitaro_stream_offer_associations` ENABLE KEYS */;
UNLOCK TABLES;
