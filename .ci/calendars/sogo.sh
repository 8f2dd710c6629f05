# SOGo with PostgreSQL and memcached. Runs inside the directory that `server` has made.
database() { pg_ctlcluster 15 main "$1" >&2; }

install() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends sogo postgresql memcached
  printf 'local all all trust\nhost all all 127.0.0.1/32 trust\n' >/etc/postgresql/15/main/pg_hba.conf
  database start
  su postgres -c 'createuser sogo'
  su postgres -c 'createdb --owner sogo sogo'
  su postgres -c 'psql --quiet --username sogo sogo' <<-'SQL'
	CREATE TABLE sogo_accounts (c_uid text PRIMARY KEY, c_name text, c_password text, c_cn text, mail text);
	INSERT INTO sogo_accounts VALUES ('ada', 'ada', 'pw', 'Ada', 'ada@own.example');
	SQL
  database stop
}

configure() {
  cat >/etc/sogo/sogo.conf <<-CONF
	{
	  WOPort = "127.0.0.1:$1";
	  SOGoProfileURL = "postgresql://sogo@127.0.0.1:5432/sogo/sogo_user_profile";
	  OCSFolderInfoURL = "postgresql://sogo@127.0.0.1:5432/sogo/sogo_folder_info";
	  OCSSessionsFolderURL = "postgresql://sogo@127.0.0.1:5432/sogo/sogo_sessions_folder";
	  OCSEMailAlarmsFolderURL = "postgresql://sogo@127.0.0.1:5432/sogo/sogo_alarms_folder";
	  SOGoMemcachedHost = "127.0.0.1";
	  SOGoLanguage = English;
	  SOGoTimeZone = UTC;
	  SOGoUserSources = (
	    {
	      type = sql;
	      id = accounts;
	      viewURL = "postgresql://sogo@127.0.0.1:5432/sogo/sogo_accounts";
	      canAuthenticate = YES;
	      isAddressBook = NO;
	      userPasswordAlgorithm = none;
	    }
	  );
	}
	CONF
}

serve() {
  configure "$1"
  database start
  memcached -u memcache -l 127.0.0.1 >/dev/null 2>&1 &
  mkdir -p /run/sogo /var/log/sogo
  chown sogo:sogo /run/sogo /var/log/sogo
  echo "/SOGo/dav/ada/ /SOGo/dav/ada/Calendar/office/ ada pw"
  exec su -s /bin/sh sogo -c 'exec sogod -WONoDetach YES -WOPidFile /run/sogo/sogo.pid -WOLogFile /var/log/sogo/sogo.log' >/dev/null 2>&1
}

if [ "$1" = install ]; then install; else serve "$1"; fi
