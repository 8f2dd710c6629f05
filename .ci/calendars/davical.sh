# DAViCal with Apache and PostgreSQL. Runs inside the directory that `server` has made.
database() { pg_ctlcluster 15 main "$1" >&2; }

install() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends davical apache2 libapache2-mod-php php-xml php-curl postgresql
  printf 'local all all trust\n' >/etc/postgresql/15/main/pg_hba.conf
  database start
  su postgres -c /usr/share/davical/dba/create-database.sh
  su postgres -c 'psql --quiet davical' <<-'SQL'
	INSERT INTO usr (username, password, fullname, email, active) VALUES ('ada', '**pw', 'Ada', 'ada@own.example', TRUE);
	INSERT INTO principal (type_id, user_no, displayname) SELECT 1, user_no, fullname FROM usr WHERE username = 'ada';
	SQL
  database stop
}

configure() {
  echo "Listen 127.0.0.1:$1" >/etc/apache2/ports.conf
  cat >/etc/davical/config.php <<-'PHP'
	<?php
	$c->pg_connect[] = 'dbname=davical user=davical_app';
	$c->admin_email = 'admin@calendars.example.com';
	PHP
  cat >/etc/apache2/sites-available/000-default.conf <<-'CONF'
	<VirtualHost *>
	  ServerName https://calendars.example.com
	  UseCanonicalName On
	  DocumentRoot /usr/share/davical/htdocs
	  DirectoryIndex index.php index.html
	  SetEnvIf Host . HTTPS=on
	  AcceptPathInfo On
	  php_value include_path /usr/share/awl/inc
	  php_value magic_quotes_gpc 0
	  php_value error_reporting "E_ALL & ~E_NOTICE & ~E_DEPRECATED"
	  php_value default_charset "utf-8"
	  RedirectMatch 301 ^/\.well-known/caldav/?$ /caldav.php/
	  <Directory /usr/share/davical/htdocs>
	    Require all granted
	  </Directory>
	</VirtualHost>
	CONF
}

serve() {
  configure "$1"
  database start
  export APACHE_CONFDIR=/etc/apache2
  . /etc/apache2/envvars
  mkdir -p "$APACHE_RUN_DIR" "$APACHE_LOCK_DIR"
  rm -f "$APACHE_PID_FILE"
  echo "/caldav.php/ /caldav.php/ada/office/ ada pw"
  exec apache2 -D FOREGROUND >/dev/null 2>&1
}

if [ "$1" = install ]; then install; else serve "$1"; fi
