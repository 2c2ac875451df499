from pages.common.shell import open_page
import streamlit as st
_=open_page('cosine_basis')
st.slider('s',0.,1.,.5,key='s',bind='query-params')
st.write('lang', st.session_state.lang)
