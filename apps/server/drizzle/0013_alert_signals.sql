CREATE TABLE "alert_signals" (
	"alert_id" text PRIMARY KEY NOT NULL,
	"message" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_signals" ADD CONSTRAINT "alert_signals_alert_id_alerts_id_fk" FOREIGN KEY ("alert_id") REFERENCES "public"."alerts"("id") ON DELETE no action ON UPDATE no action;