# Cyrus with the accounts of its SASL database. Runs inside the directory that `server` has made.
configure() {
  cat >/etc/imapd.conf <<-'CONF'
	configdirectory: /var/lib/cyrus
	defaultpartition: default
	partition-default: /var/spool/cyrus/mail
	admins: cyrus
	sasl_pwcheck_method: auxprop
	sasl_auxprop_plugin: sasldb
	sasl_mech_list: PLAIN
	allowplaintext: yes
	servername: calendars.example.com
	unixhierarchysep: yes
	virtdomains: off
	httpmodules: caldav
	caldav_realm: calendars
	tls_required: no
	CONF
  cat >/etc/cyrus.conf <<-CONF
	START {
	  recover cmd="/usr/sbin/cyrus ctl_cyrusdb -r"
	}
	SERVICES {
	  imap cmd="imapd -U 30" listen="127.0.0.1:$1" prefork=0
	  http cmd="httpd -U 30" listen="127.0.0.1:$2" prefork=1
	}
	EVENTS {
	}
	CONF
}

install() {
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends cyrus-imapd cyrus-caldav cyrus-admin sasl2-bin libsasl2-modules libsasl2-modules-db
  for user in cyrus ada; do echo pw | saslpasswd2 -p -c -u calendars.example.com "$user"; done
  chown cyrus:sasl /etc/sasldb2
}

serve() {
  configure 1143 "$1"
  mkdir -p /run/cyrus/socket /run/cyrus/lock /run/cyrus/proc
  chown -R cyrus:mail /run/cyrus
  /usr/sbin/cyrmaster >/dev/null 2>&1 &
  until printf 'createmailbox user/ada\n' | cyradm --user cyrus --password pw --port 1143 127.0.0.1 >/tmp/created 2>&1 &&
    ! grep -q refused /tmp/created; do sleep 0.1; done
  echo "/ /dav/calendars/user/ada/office/ ada pw"
  wait
}

if [ "$1" = install ]; then install; else serve "$1"; fi
