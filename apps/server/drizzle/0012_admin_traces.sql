ALTER TABLE "orders" ADD COLUMN "resolved_by" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "price_wei" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "resolved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "resolved_by" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "resolution_reason" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "resolved_by" uuid;--> statement-breakpoint
CREATE INDEX "audit_entries_subject" ON "audit_entries" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "payments_overpaid" ON "payments" USING btree ("created_at","id") WHERE order_id is null and amount_wei > price_wei;--> statement-breakpoint
CREATE TRIGGER "deliveries_tell_admins" AFTER INSERT ON "deliveries" FOR EACH STATEMENT EXECUTE FUNCTION "tell_admins"('alerts');--> statement-breakpoint
UPDATE "payments" SET "price_wei" = CASE "plan_id" WHEN '6h' THEN 10 WHEN '24h' THEN 30 ELSE 75 END * 1000000000000000000::numeric WHERE "order_id" IS NULL;--> statement-breakpoint
UPDATE "unmatched_transfers" u SET "resolved_by" = a."actor_id" FROM "audit_entries" a WHERE a."subject" = u."id"::text AND a."action" IN ('payment_credited', 'payment_refund_noted', 'payment_ignored');--> statement-breakpoint
UPDATE "orders" o SET "resolved_by" = a."actor_id" FROM (SELECT DISTINCT ON ("subject") "subject", "actor_id" FROM "audit_entries" WHERE "action" IN ('order_refund_noted', 'order_ignored') ORDER BY "subject", "id" DESC) a WHERE a."subject" = o."id"::text AND o."resolved_at" IS NOT NULL;--> statement-breakpoint
UPDATE "orders" o SET "flags" = array_append(o."flags", 'over') WHERE NOT o."flags" @> '{over}' AND o."price_wei" < (SELECT coalesce(sum(p."amount_wei"), 0) FROM "payments" p WHERE p."order_id" = o."id" AND p."reverted_at" IS NULL) + (SELECT coalesce(sum(u."amount_wei"), 0) FROM "unmatched_transfers" u WHERE u."order_id" = o."id" AND u."reason" = 'partial' AND u."reverted_at" IS NULL AND (u."resolved_at" IS NULL OR u."resolution" = 'ignore'));
