CREATE TABLE "coupons" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"code" text NOT NULL,
	"percent" integer,
	"amount_wei" numeric(78, 0),
	"plan_ids" text[] NOT NULL,
	"max_uses" integer NOT NULL,
	"max_uses_per_account" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" uuid,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "coupons_code_unique" UNIQUE("code"),
	CONSTRAINT "coupons_discount" CHECK (num_nonnulls("coupons"."percent", "coupons"."amount_wei") = 1),
	CONSTRAINT "coupons_percent" CHECK ("coupons"."percent" between 1 and 100),
	CONSTRAINT "coupons_amount" CHECK ("coupons"."amount_wei" > 0),
	CONSTRAINT "coupons_uses" CHECK ("coupons"."max_uses" > 0 and "coupons"."max_uses_per_account" > 0)
);
--> statement-breakpoint
CREATE TABLE "plan_grants" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid,
	"plan_id" text NOT NULL,
	"list_price_wei" numeric(78, 0) NOT NULL,
	"coupon_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "announcements" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"text" text NOT NULL,
	"audience" text NOT NULL,
	"on_public_pages" boolean NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" uuid
);
--> statement-breakpoint
CREATE TABLE "mail_suppressions" (
	"email_hash" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_recipients" (
	"message_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"state" text NOT NULL,
	"at" timestamp (3) with time zone,
	CONSTRAINT "message_recipients_message_id_account_id_pk" PRIMARY KEY("message_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"via" text NOT NULL,
	"kind" text NOT NULL,
	"segment" jsonb NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"total" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" uuid,
	"ended_at" timestamp (3) with time zone,
	"is_cancelled" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"payment_id" uuid NOT NULL,
	"chain_id" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"amount_wei" numeric(78, 0) NOT NULL,
	"block_at" timestamp (3) with time zone NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"recorded_by" uuid
);
--> statement-breakpoint
CREATE TABLE "scheduled_alerts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"asset" text NOT NULL,
	"priority" text NOT NULL,
	"anomaly_type" text NOT NULL,
	"regime" text NOT NULL,
	"summary" text NOT NULL,
	"confidence" double precision NOT NULL,
	"issue_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" uuid,
	"cancelled_at" timestamp (3) with time zone,
	"issued_at" timestamp (3) with time zone,
	"alert_id" text,
	"problem" text
);
--> statement-breakpoint
CREATE TABLE "support_replies" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"letter_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"author_id" uuid
);
--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "payment_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "coupon_id" uuid;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "list_price_wei" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "coupon_released_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "grant_id" uuid;--> statement-breakpoint
ALTER TABLE "support_messages" ADD COLUMN "state" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE "support_messages" ADD COLUMN "assignee_id" uuid;--> statement-breakpoint
ALTER TABLE "plan_grants" ADD CONSTRAINT "plan_grants_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_grants" ADD CONSTRAINT "plan_grants_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD CONSTRAINT "message_recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD CONSTRAINT "message_recipients_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_replies" ADD CONSTRAINT "support_replies_letter_id_support_messages_id_fk" FOREIGN KEY ("letter_id") REFERENCES "public"."support_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_replies" ADD CONSTRAINT "support_replies_author_id_accounts_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coupons_created" ON "coupons" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "plan_grants_account" ON "plan_grants" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "plan_grants_coupon" ON "plan_grants" USING btree ("coupon_id") WHERE coupon_id is not null;--> statement-breakpoint
CREATE INDEX "announcements_created" ON "announcements" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "announcements_shown" ON "announcements" USING btree ("ends_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "message_recipients_account" ON "message_recipients" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "message_recipients_waiting" ON "message_recipients" USING btree ("message_id","at" NULLS FIRST,"account_id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "messages_created" ON "messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "messages_running" ON "messages" USING btree ("created_at") WHERE ended_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_transfer" ON "refunds" USING btree ("chain_id","tx_hash","log_index");--> statement-breakpoint
CREATE INDEX "refunds_payment" ON "refunds" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "scheduled_alerts_at" ON "scheduled_alerts" USING btree ("issue_at","id");--> statement-breakpoint
CREATE INDEX "scheduled_alerts_due" ON "scheduled_alerts" USING btree ("issue_at") WHERE issued_at is null and cancelled_at is null;--> statement-breakpoint
CREATE INDEX "support_replies_letter" ON "support_replies" USING btree ("letter_id","at");--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_grant_id_plan_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."plan_grants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_messages" ADD CONSTRAINT "support_messages_assignee_id_accounts_id_fk" FOREIGN KEY ("assignee_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "orders_coupon" ON "orders" USING btree ("coupon_id") WHERE coupon_id is not null;--> statement-breakpoint
CREATE INDEX "support_messages_account" ON "support_messages" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "support_messages_open" ON "support_messages" USING btree ("at") WHERE state = 'open';--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_grant_id_unique" UNIQUE("grant_id");--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_origin" CHECK (num_nonnulls("subscriptions"."payment_id", "subscriptions"."grant_id") = 1);