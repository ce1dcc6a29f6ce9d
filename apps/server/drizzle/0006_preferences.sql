CREATE TABLE "preferences" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"real_time_alerts" boolean NOT NULL,
	"auto_verify" boolean NOT NULL,
	"high_priority_only" boolean NOT NULL,
	"browser_notifications" boolean NOT NULL,
	"sound" boolean NOT NULL,
	"sound_from" text NOT NULL,
	"sound_volume" integer NOT NULL,
	"shortcuts" boolean NOT NULL,
	"density" text NOT NULL,
	"time_zone" text NOT NULL,
	"hour_cycle" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;